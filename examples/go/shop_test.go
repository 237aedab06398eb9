package main

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
)

func TestSignaturesOfTheVectors(t *testing.T) {
	var file struct {
		Secret  string
		Vectors []struct {
			Title, Body string
			Valid       bool
			Now         int64
			Headers     map[string]string
		}
	}
	text, err := os.ReadFile("../webhook-vectors.json")
	if err != nil || json.Unmarshal(text, &file) != nil || len(file.Vectors) < 20 {
		t.Fatal("webhook-vectors.json cannot be read", err)
	}
	for _, vector := range file.Vectors {
		header := http.Header{}
		for name, value := range vector.Headers {
			header.Set(name, value)
		}
		if isSigned(file.Secret, header, []byte(vector.Body), vector.Now) != vector.Valid {
			t.Error(vector.Title)
		}
	}
}
